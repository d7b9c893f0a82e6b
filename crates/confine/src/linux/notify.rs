//! The calls of seccomp's notification. No well-kept crate makes them without a C library, so this module and
//! `names` are the only `unsafe` code of the workspace.
//!
//! What comes in and out is plain data and descriptors that are owned. Nothing is decided here.

#![expect(
    unsafe_code,
    reason = "no crate has these four calls: one puts on a filter that tells, two receive and answer, one names a descriptor"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use libc::{seccomp_data, seccomp_notif, seccomp_notif_resp};
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use seccompiler::sock_filter;

const RECEIVE: Opcode = opcode::read_write::<seccomp_notif>(b'!', 0);
const ANSWER: Opcode = opcode::read_write::<seccomp_notif_resp>(b'!', 1);

/// Puts a filter on this thread, and returns the descriptor on which the calls arrive that it tells of.
pub(super) fn put_on(program: &[sock_filter]) -> io::Result<OwnedFd> {
    const TELLS: libc::c_ulong = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
    // A call that was received is not begun again for a signal that only interrupts, since Linux 5.19.
    const ONCE: libc::c_ulong = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let steps = program.iter().map(|step| libc::sock_filter {
        code: step.code,
        jt: step.jt,
        jf: step.jf,
        k: step.k,
    });
    let mut steps: Vec<libc::sock_filter> = steps.collect();
    let program = libc::sock_fprog {
        len: u16::try_from(steps.len()).map_err(io::Error::other)?,
        filter: steps.as_mut_ptr(),
    };
    let put_on = |flags: libc::c_ulong| {
        // SAFETY: the kernel reads `program`, and behind its pointer as many steps as its length says; both live until the call
        // returns, and it writes to neither.
        let made = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                flags,
                &raw const program,
            )
        };
        let made = RawFd::try_from(made).ok().filter(|made| *made >= 0);
        let made = made.ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the kernel has just opened this descriptor for us, and no other code knows it.
        Ok(unsafe { OwnedFd::from_raw_fd(made) })
    };
    put_on(TELLS | ONCE).or_else(|error: io::Error| match error.raw_os_error() {
        Some(libc::EINVAL) => put_on(TELLS),
        Some(_) | None => Err(error),
    })
}

/// Returns a descriptor of our own for one that this process inherited.
pub(super) fn inherited(number: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: nothing of this process owns or closes a descriptor that it inherited, and this one is used for one call. Where
    // the number is none, the call fails.
    let inherited = unsafe { BorrowedFd::borrow_raw(number) };
    inherited.try_clone_to_owned()
}

/// Sends the descriptor on which calls arrive to the process at the other end of an inherited socket.
pub(super) fn pass_on(calls: &OwnedFd, socket: RawFd) -> io::Result<()> {
    let socket = inherited(socket)?;
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let passed = [calls.as_fd()];
    message.push(SendAncillaryMessage::ScmRights(&passed));
    let sent = sendmsg(
        &socket,
        &[io::IoSlice::new(b"c")],
        &mut message,
        SendFlags::NOSIGNAL,
    );
    Ok(sent.map(drop)?)
}

/// Receives a call that waits. It blocks where none does: look before.
pub(super) fn receive(calls: &OwnedFd) -> rustix::io::Result<seccomp_notif> {
    let data = seccomp_data {
        nr: 0,
        arch: 0,
        instruction_pointer: 0,
        args: [0; 6],
    };
    let mut call = seccomp_notif {
        id: 0,
        pid: 0,
        flags: 0,
        data,
    };
    // SAFETY: the number of the operation holds the size of what the kernel writes, which is that of `call`.
    unsafe { ioctl(calls, Updater::<RECEIVE, _>::new(&mut call)) }?;
    Ok(call)
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotifyResponse {
    /// The kernel carries it out, as far as everything else allows it.
    GoesOn,
    /// It fails with «not permitted».
    IsRefused,
}

/// Answers a call; the error `NOENT` means that its process does not wait for it any more.
pub(super) fn answer(calls: &OwnedFd, id: u64, answer: NotifyResponse) -> rustix::io::Result<()> {
    let (error, flags) = match answer {
        NotifyResponse::GoesOn => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE),
        NotifyResponse::IsRefused => (-libc::EPERM, 0),
    };
    let mut said = seccomp_notif_resp {
        id,
        val: 0,
        error,
        flags: u32::try_from(flags).unwrap_or_default(),
    };
    // SAFETY: the number of the operation holds the size of what the kernel reads, which is that of `said`.
    unsafe { ioctl(calls, Updater::<ANSWER, _>::new(&mut said)) }
}
