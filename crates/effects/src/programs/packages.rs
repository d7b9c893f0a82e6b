//! Package managers: what they install, publish and run.

use super::call::Call;
use super::{Program, row};
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Where the packages of these languages come from, if nothing else is set.
pub(super) static ROWS: &[Program] = &[
    row("npm|pnpm|cnpm|tnpm", "prefix,C,dir:/ w,workspace,filter,F: registry:n userconfig:k globalconfig:k script-shell:x loglevel: cache:W ws,workspaces g,global s,silent y,yes if-present ignore-scripts json node-options:x shell:x tag: otp: access: omit: include: before: call,c:c package,p:p", "v"),
    row("npm install|i|add|in|ins|inst|insta|instal|isnt|isntall|it|install-test|ci|clean-install|ic|install-clean|update|up|upgrade|udpate|link|ln|rebuild|rb|dedupe|ddp|import|dlx-install|audit-fix", "D,save-dev S,save P,save-prod O,save-optional E,save-exact B no-save force f save-peer", "p*").does("x n:registry.npmjs.org W:node_modules w:package.json w:package-lock.json w:pnpm-lock.yaml").more(all_of_them),
    row("npm uninstall|remove|rm|r|un|unlink|prune", "D,save-dev S,save", "-*").does("D:node_modules w:package.json w:package-lock.json w:pnpm-lock.yaml x"),
    row("npm publish|pub|publ|publi|publis|unpublish|deprecate|dist-tag|owner|access|team|stage", "tag: access: otp: dry-run force f provenance", "P*").does("x n:registry.npmjs.org").more(publishes),
    row("npm run|run-script|rum|urn|test|t|tst|start|stop|restart|explore|edit|pack|version|deploy|patch|fund|doctor|outdated", "p,package:p c,call:c", "-*").does("x"),
    row("npm exec|x|dlx|create|init|innit", "+ p,package:p c,call:c y,yes", "-*").does("x").more(fetched),
    row("npm config|set|c|login|adduser|add-user|logout|token|profile|cache|store|approve-builds", "", "-*").does("r:package.json").more(super::build::sets),
    row("npm view|info|v|show|search|s|se|find|ping|whoami|audit|bugs|docs|repo|home|star|stars|why", "fix!x", "-*").does("n:registry.npmjs.org r:package.json"),
    row("npm ls|list|la|ll|root|bin|help|get|explain|query|licenses|prefix|sbom|completion", "depth: a,all prod dev", "-*").does("r:package.json"),
    row("npx|pnpx|bunx|pnx", "+ y,yes no-install p,package:p c,call:c q,quiet bun", "C -*").does("x").more(fetched),
    row("yarn|yarnpkg|berry", "cwd:/ registry:n", "v").more(bare_installs),
    row("yarn install|add|up|upgrade|link|dedupe|import|global|set|plugin|policies|unplug|rebuild", "D,dev P,peer O,optional E,exact W frozen-lockfile immutable mode:", "p*").does("x n:registry.yarnpkg.com W:node_modules w:package.json w:yarn.lock").more(all_of_them),
    row("yarn dlx|create", "+ p,package:p q,quiet", "-*").does("x").more(fetched),
    row("yarn remove|unlink|autoclean", "", "-*").does("D:node_modules w:package.json w:yarn.lock x"),
    row("yarn publish|npm", "tag: access:", "P*").does("x n:registry.yarnpkg.com").more(publishes),
    row("yarn why|list|info|help|versions|outdated|audit|bin|licenses", "", "-*"),
    row("yarn config", "", "-*").more(super::build::sets),
    row("bun", "cwd:/ r,preload:x e,eval,p,print:x c,config:r", "v"),
    row("bun install|i|add|a|update|link|patch|upgrade|remove|rm", "d,dev g,global E,exact", "p*").does("x n:registry.npmjs.org W:node_modules w:package.json w:bun.lock").more(all_of_them),
    row("bun x|create|c", "+ p,package:p bun", "-*").does("x").more(fetched),
    row("bun publish", "", "P*").does("x n:registry.npmjs.org").more(publishes),
    row("pip|pipx|conda|mamba|micromamba|pixi|easy_install|uv|poetry|pdm|hatch|rye|pipenv", "r,requirement:r c,constraint:r t,target:W prefix:W root:W i,index-url:n extra-index-url:n f,find-links:n e,editable:p n,name: p,python: directory:/ project: proxy:n cache-dir:W log:w", "v"),
    row("pip install|upgrade|inject|ensurepath|reinstall|update|download|wheel|sync|add|lock|create|env|init|new|self|python|venv|pip|shell|clean", "r,requirement:r U,upgrade d,dest:W w,wheel-dir:W no-deps user pre force-reinstall spec:p dev group: G: extra: E: with: y,yes", "p*").does("x n:pypi.org").more(all_of_them),
    row("pip uninstall|remove|uninstall-all", "y,yes r,requirement:r", "D*").does("x"),
    row("pip publish|upload", "", "P*").does("x n:pypi.org").more(publishes),
    row("pip run|runpip|exec|build|test", "+ with:p", "-*").does("x").more(fetched),
    row("pip tool", "+", "v"),
    row("pip tool run", "+ with:p from:p python:", "-*").does("x").more(fetched),
    row("pip tool install|upgrade", "with:p from:p python: U,upgrade force", "p*").does("x n:pypi.org"),
    row("pip tool list|dir|uninstall|update-shell", "", "-*").does("x"),
    row("pip list|freeze|show|check|help|debug|inspect|hash|tree|search|info|version|activate", "o,outdated format:", "-*"),
    row("pip config|cache|auth|source", "", "-*").more(super::build::sets),
    row("uvx", "+ with:p from:p python:", "-*").does("x").more(fetched),
    row("twine", "", "v"),
    row("twine upload|register", "r,repository: repository-url:n u: p: config-file:r", "rP*").does("n:upload.pypi.org"),
    row("twine check", "", "r*"),
    row("cargo", "C:/ manifest-path:r config:x Z: q,quiet v,verbose color: locked offline frozen features,F: p,package: target: target-dir:W j,jobs: profile: message-format: bin: example: test: bench: lockfile-path:w", "v"),
    row("cargo install|binstall|update|add|remove|rm|vendor|upgrade|fetch|generate-lockfile|uninstall", "version: git:n path:R root:W registry: index:n branch: tag: rev: force f dev build rename: precise: dry-run!0", "p*").does("x n:index.crates.io W:target w:Cargo.toml w:Cargo.lock").more(all_of_them),
    row("cargo publish|yank|owner|release|login|logout", "dry-run!0 n!0 token: registry: index:n allow-dirty no-verify vers: undo", "-*").does("x P n:crates.io"),
    row("cargo clean", "r,release doc", "").does("D:target"),
    row("cargo fmt", "check!0 all", "-*").does("x W:src"),
    row("cargo new|init", "lib name: edition: vcs: registry:", "W*").does("x"),
    row("cargo metadata|tree|search|info|locate-project|pkgid|version|help|verify-project|read-manifest|config", "e: i: depth: format: format-version:", "-*"),
    row("rustup", "toolchain:", "-*").does("x n"),
    row("go", "- C:/", "v"),
    row("go get|install|mod|work", "- modfile:w u t v x", "p*").does("x n:proxy.golang.org w:go.mod w:go.sum"),
    row("go env", "- w!k u!k json", "-*"),
    row("go build|run|test|vet|generate|tool|fix|clean|fmt|bug|telemetry", "- o:w toolexec:x vettool:x exec:x overlay:r coverprofile:w cpuprofile:w memprofile:w mod: modfile: tags: ldflags: run: count: timeout: p: json v race", "-*").does("x").more(fetched),
    row("go version|list|doc|help", "- m f: json e deps", "-*"),
    row("gem|bundle|bundler|cocoapods|pod", "", "v"),
    row("gem install|i|update|add|exec|lock|setup|bundle|open|clean|pristine|repo", "v,version: i,install-dir:W source,s:n path:W g: no-document jobs: deployment without: with:", "p*").does("x n:rubygems.org").more(all_of_them),
    row("gem push|yank|owner|release|trunk", "", "P*").does("x n:rubygems.org"),
    row("gem uninstall|remove|cleanup", "a x I", "-*").does("x"),
    row("gem list|search|show|info|help|environment|which|outdated|check|version", "", "-*"),
    row("composer|mvn|mvnw|gradle|gradlew|sbt|mix|rebar3|lein|clj|stack|cabal|opam|dune|nimble|zig|swift|dotnet|nuget|msbuild|vcpkg|conan|luarocks|cpan|cpanm|cpanp|pear|pecl|dart|flutter|pub|elm|spago|bower|jspm|deno-install|helmfile|kustomize|ansible-galaxy|asdf|mise|rtx|nvm|fnm|volta|pyenv|rbenv|jenv|sdk|sdkman|juliaup|ghcup|stackage|lerna|nx|turbo|rush|moon|bazel-install|corepack|ni|nr|proto|pkgx", "", "-*").does("x").more(managers),
    row("apt|apt-get|aptitude|yum|dnf|microdnf|zypper|apk|brew|port|snap|flatpak|pkg|pkg_add|emerge|xbps-install|nix-env|guix|winget|choco|scoop|tdnf|urpmi|eopkg|swupd|mas|pamac|yay|paru", "c,config-file:r o,option:x y,yes,assume-yes q,quiet t,target-release: installroot:W prefix: root,p: allow-downgrades no-install-recommends d,download-only f,fix-broken s,simulate,dry-run!0 only-upgrade reinstall purge", "v"),
    row("apt install|reinstall|add|get|in|si|build-dep|update|upgrade|dist-upgrade|full-upgrade|refresh|groupinstall|localinstall|source|download|bundle|tap|pull|system|sync|cask|up|dup", "no-cache cask virtual,t: X,repository:n classic channel:", "p*").does("x n").more(all_of_them),
    row("apt remove|purge|autoremove|rm|del|delete|uninstall|erase|clean|autoclean|cleanup|unlink|services|link|edit|edit-sources|config|config-manager|repo|ar|rr|pin|mark|hold|set|connect|run|enable|disable|module|untap", "", "-*").does("x k"),
    row("apt list|search|show|info|policy|depends|rdepends|changelog|help|check|outdated|deps|leaves|home|desc|provides|repolist|history|version|moo|stats|se|formulae|casks|doctor|prefix", "installed upgradable a i", "-*"),
    row("apt-key|add-apt-repository|dpkg-reconfigure|update-alternatives|alternatives|debconf-set-selections|tasksel|software-properties-gtk", "", "-*").does("x k"),
    row("apt-cache|apt-config|apt-file|aptly|dpkg-query|pkg-config|pkgconf|rpmquery|repoquery|lsb_release|brew-list|equery", "c:r o:", "-*"),
    row("dpkg|rpm|pacman|opkg|installer|pkgutil|nix-channel|portsnap", "i,install r,remove!x P,purge!x S,sync R!x U,upgrade e,erase!x q,query!0 l,list!0 L,listfiles!0 s,status!0 W,show!0 search D,database V,verify!0 Q!0 F!0 root:W admindir:W force-all unpack configure!p c,contents x,extract C I,info v h nodeps noconfirm dbpath:W", "pr*").does("x"),
    row("nix|nix-shell|nix-build|nix-store|home-manager|nixos-rebuild|darwin-rebuild|devbox|devenv|direnv|flox|spack", "c,command:x run:x p,packages:p o,out-link:w I: f,file:r expr:x E:x", "-*").does("x p n"),
];

/// Without operands it installs what a file of the project lists.
fn all_of_them(call: &mut Call<'_>) {
    let words = call.words();
    if words.is_empty() {
        call.named(Kind::Install, None, Certainty::Exact);
    }
    // `uv pip install x` and its kin have one verb more.
    if call.name.ends_with(" pip") {
        let verb = call.reading.text(0).unwrap_or_default();
        let installs = matches!(&*verb, "install" | "sync" | "download" | "wheel");
        let is_verb = |object: &Object| *object == Object::Name(verb.clone());
        call.acts.effects.retain(|effect| {
            effect.kind != Kind::Install || (installs && !is_verb(&effect.object))
        });
    }
}

fn publishes(call: &mut Call<'_>) {
    // npm takes `--dry-run false` too, so that option makes nothing sure.
    if call.words().is_empty() {
        call.named(Kind::Publish, None, Certainty::Exact);
    }
}

/// `yarn` alone installs.
fn bare_installs(call: &mut Call<'_>) {
    if call.verb == super::Verb::Missing
        && call.name == call.row.name()
        && !call
            .reading
            .given
            .iter()
            .any(|given| given.option.is("version"))
    {
        call.named(Kind::Install, None, Certainty::Exact);
        call.opaque = true;
        call.act_path(
            Kind::Write,
            &Word::text("node_modules"),
            Certainty::Likely,
            true,
        );
    }
}

/// The verbs of many managers, by their usual words.
/// Runners that fetch a package and start it: `npx NAME`, `uvx NAME`, `go run MODULE@VERSION`.
fn fetched(call: &mut Call<'_>) {
    let words = call.words();
    let package = ["p", "from"].iter().any(|name| call.may(name));
    let first = words.first().filter(|_| !package);
    let verb = call.name.rsplit(' ').next().unwrap_or_default();
    // These run what is there, unless the name says where it comes from.
    let runs_own = match call.row.name() {
        "pip run" => !call.name.starts_with("pipx "),
        name if name.starts_with("go ") => {
            let from = |word: &Word| word.known().is_none_or(|text| text.contains('@'));
            verb != "run" || !first.is_some_and(from)
        }
        _ => false,
    };
    if runs_own || words.is_empty() {
        return;
    }
    let registry = match call.row.name() {
        name if name.starts_with("go ") => "proxy.golang.org",
        name if name.starts_with("pip ") || name == "uvx" => "pypi.org",
        _ => "registry.npmjs.org",
    };
    let registry = Object::Host(registry.to_owned());
    call.effect(Kind::Net, registry, Certainty::Likely);
    if let Some(first) = first {
        call.named(Kind::Install, Some(first), Certainty::Exact);
    }
}

fn managers(call: &mut Call<'_>) {
    let words = call.words();
    let verb = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    match verb.as_deref() {
        Some(
            "install" | "add" | "require" | "update" | "upgrade" | "restore" | "i" | "get" | "use"
            | "tool" | "package" | "plugin" | "fetch" | "prepare",
        ) => {
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            for word in words.iter().skip(1) {
                call.named(Kind::Install, Some(word), Certainty::Exact);
            }
            if words.len() < 2 {
                call.named(Kind::Install, None, Certainty::Exact);
            }
        }
        Some("publish") if call.name == "dotnet" => {}
        Some(
            "publish"
            | "deploy"
            | "push"
            | "upload"
            | "hex.publish"
            | "release"
            | "publishToMavenLocal"
            | "publishPlugins",
        ) => {
            call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
            call.named(Kind::Publish, None, Certainty::Exact);
        }
        _ => {}
    }
}
