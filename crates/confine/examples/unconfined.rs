//! The helper without its work: reads the same arguments and becomes the program. The bench `confine` stands beside it.

use std::ffi::OsString;
use std::process::Command;

use anyhook_confine::Spec;
use anyhook_core::sandbox::passes;

fn main() {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let [spec, _, program, rest @ ..] = &args[..]
        && let Ok(spec) = serde_json::from_str::<Spec>(&spec.to_string_lossy())
    {
        let passing = std::env::vars_os().filter(|(name, _)| {
            let env = spec.env.as_ref();
            env.is_none_or(|env| passes(env, &name.to_string_lossy()))
        });
        let mut command = Command::new(program);
        command.args(rest).env_clear().envs(passing);
        #[cfg(unix)]
        drop(std::os::unix::process::CommandExt::exec(&mut command));
    }
    std::process::exit(125);
}
