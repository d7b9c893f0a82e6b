//! Programs of an administrator: disks, users, kernels.

/// Agents have settings of their own, which hold hooks.
pub(super) fn agents(call: &mut super::call::Call<'_>) {
    let verb = call.reading.text(0);
    if matches!(
        verb.as_deref(),
        Some(
            "config"
                | "mcp"
                | "plugin"
                | "plugins"
                | "extensions"
                | "extension"
                | "hooks"
                | "install"
                | "settings"
                | "update"
                | "features"
        )
    ) {
        let name = format!("{} {}", call.name, verb.unwrap_or_default());
        call.effect(
            crate::effect::Kind::Config,
            crate::effect::Object::Name(name),
            crate::effect::Certainty::Likely,
        );
    }
}
