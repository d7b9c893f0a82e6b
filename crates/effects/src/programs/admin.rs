//! Programs of an administrator: disks, users, kernels.

use super::{Program, row};

pub(super) static ROWS: &[Program] = &[
    row("mount|mount.cifs|mount.nfs|sshfs|bindfs|mergerfs|encfs|gocryptfs", "a,all B,bind o,options: t,types: r,read-only w U: L: T:r R,rbind M,move f F i l n s v target: source:", "R W").does("x"),
    row("umount|fusermount|fusermount3|losetup|swapon|swapoff|cryptsetup|lvm|lvcreate|lvremove|vgcreate|vgremove|pvcreate|pvremove|mdadm|zfs|zpool|btrfs|dmsetup|partprobe|kpartx|diskutil|eject|sgdisk|hdparm|nvme|smartctl|quotaon|setquota", "", "-*").does("x k"),
    row("mkfs|mkfs.ext4|mkfs.ext3|mkfs.ext2|mkfs.xfs|mkfs.btrfs|mkfs.vfat|mkfs.fat|mke2fs|mkswap|newfs|wipefs|fdisk|gdisk|sfdisk|cfdisk|parted|fsck|e2fsck|resize2fs|tune2fs|xfs_repair|badblocks|blkdiscard|debugfs|dump|restore|testdisk|ddrescue|dcfldd|pv", "t,type: L: b: F f:r l s n y p", "W*"),
    row("useradd|userdel|usermod|groupadd|groupdel|groupmod|adduser|deluser|addgroup|delgroup|passwd|chpasswd|chage|chsh|chfn|gpasswd|newgrp|vipw|visudo|newusers|dscl|sysadminctl|pwck|grpck|faillock", "", "-*").does("k x W:/etc"),
    row("sysctl|modprobe|insmod|rmmod|depmod|setenforce|semanage|restorecon|setsebool|auditctl|apparmor_parser|aa-disable|aa-complain|timedatectl|localectl|hwclock|ntpdate|chronyc|update-grub|grub-install|grub-mkconfig|dracut|update-initramfs|mkinitcpio|efibootmgr|kexec|ldconfig|update-ca-certificates|trust-ca|tzselect|loadkeys|setfont|defaults|plutil|spctl|csrutil|nvram|pmset|systemsetup|tccutil|gsettings|dconf|gconftool-2|xrandr|xset|xmodmap|setxkbmap|localedef|adb|fastboot|flashrom|dfu-util|esptool|avrdude|openocd|arduino-cli|platformio|pio|west|idf.py", "", "-*").does("k x"),
    row("claude|codex|gemini|cursor-agent|copilot|opencode|aider|goose|amp|crush|qwen|kimi|droid|auggie|kiro-cli|q|llm|ollama|sgpt|mods|fabric|openai|continue|cline|roo|devin|jules|plandex|warp-cli|zed|windsurf", "", "-*").does("x n").more(agents),
];

/// Agents have settings of their own, which hold hooks.
fn agents(call: &mut super::call::Call<'_>) {
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
