//! Decodes uploads in a sandboxed child process, so that a decoder crash cannot take the server down. The process has
//! resource limits and an empty environment, and its memory is freed when it exits. On Linux, a seccomp filter blocks
//! opening files and connections, starting programs and signals to other processes, once the worker has read the upload.

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use evenkeel_markdown::image_name::ImageFile;
use nix::sys::resource::{Resource, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use super::encode::{CropMode, EncodedImage, encode};
use super::error::{ImageProblem, WorkerError};

/// First argument of a worker process. The program must call [`run_worker`] with the second argument.
pub const WORKER_COMMAND: &str = "image-worker";

/// CPU time limit of a worker in seconds. The wall-clock limit is one second longer. Debug builds need more time.
const CPU_LIMIT_S: u64 = if cfg!(debug_assertions) { 20 } else { 6 };
const TIME_LIMIT: Duration = Duration::from_secs(CPU_LIMIT_S + 1);

/// Address space limit of a worker in bytes: four times the memory that the largest accepted image needs.
const MEMORY_LIMIT: u64 = 2 << 30;

/// Maximum size of an upload in bytes. The worker ignores the rest of a larger upload.
const MAX_INPUT_BYTES: u64 = 64 << 20;

/// Maximum size of a worker's output in bytes. The limit is larger than any valid output, because re-encoded files have
/// a size limit.
const MAX_OUTPUT_BYTES: u64 = 64 << 20;

/// JSON header in the first line of a worker's output. The contents of the files follow the header.
#[derive(Serialize, Deserialize)]
enum OutputHeader {
    Problem(ImageProblem),
    Files { names: Vec<String>, bytes: Vec<usize>, has_stopped: bool },
}

/// Path of the running executable, which works even if the file has been replaced since start-up.
pub fn current_program() -> PathBuf {
    let running = Path::new("/proc/self/exe");
    if running.exists() { running.to_owned() } else { std::env::current_exe().unwrap_or_default() }
}

/// Re-encodes an upload in a child process, which runs `program` with the argument [`WORKER_COMMAND`].
///
/// # Errors
/// Returns [`WorkerError`] if the process cannot be run. A process that crashes or takes too long is an
/// [`ImageProblem`].
pub async fn encode_in_sandbox(
    program: &Path,
    file: impl AsRef<[u8]> + Send,
    shape: CropMode,
) -> Result<Result<EncodedImage, ImageProblem>, WorkerError> {
    let mut child = Command::new(program)
        .args([WORKER_COMMAND, shape.name()])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let give = async move {
        // Write errors are ignored, because a worker that rejects a file may exit without reading the whole file.
        if let Some(mut stdin) = stdin {
            let _ = stdin.write_all(file.as_ref()).await;
        }
    };
    let take = async move {
        let mut answer = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(MAX_OUTPUT_BYTES).read_to_end(&mut answer).await?;
        }
        Ok::<_, std::io::Error>(answer)
    };
    let Ok(((), answer, ended)) = timeout(TIME_LIMIT, async { tokio::join!(give, take, child.wait()) }).await else {
        return Ok(Err(ImageProblem::TooHard));
    };
    let (answer, ended) = (answer?, ended?);
    if !ended.success() {
        tracing::warn!(%ended, "image worker failed");
        let is_stopped = ended.signal() == Some(nix::libc::SIGXCPU);
        return Ok(Err(if is_stopped { ImageProblem::TooHard } else { ImageProblem::Damaged }));
    }
    parse_output(&answer).map_err(WorkerError::Output)
}

fn parse_output(answer: &[u8]) -> anyhow::Result<Result<EncodedImage, ImageProblem>> {
    let end =
        answer.iter().position(|byte| *byte == b'\n').context("the output of the image worker has no header line")?;
    let (names, sizes, has_stopped) = match serde_json::from_slice(&answer[..end])? {
        OutputHeader::Problem(problem) => return Ok(Err(problem)),
        OutputHeader::Files { names, bytes, has_stopped } => (names, bytes, has_stopped),
    };
    let mut rest = &answer[end + 1..];
    let mut files = Vec::new();
    for (name, size) in names.iter().zip(sizes) {
        let (bytes, after) = rest.split_at_checked(size).context("the output of the image worker is truncated")?;
        rest = after;
        files.push((ImageFile::parse(name).context("the image worker returned an invalid file name")?, bytes.to_vec()));
    }
    let name = files.first().map(|(file, _)| file.name.clone()).context("the image worker returned no files")?;
    Ok(Ok(EncodedImage { name, files, lost_animation: has_stopped }))
}

/// Worker process: reads an upload from standard input and writes the re-encoded files to standard output.
pub fn run_worker(shape: &str) -> ExitCode {
    match process_upload(shape) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Installs a seccomp filter for the current thread that allows only system calls for memory, output and exit. Other
/// calls fail with EPERM.
#[cfg(target_os = "linux")]
fn restrict_system_calls() -> Result<(), seccompiler::Error> {
    use nix::libc;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        apply_filter,
    };

    let allowed = [
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_close,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_sched_yield,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_gettid,
        libc::SYS_getpid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    // `tgkill` is allowed for the own process only, because `abort` uses it.
    let own = u64::from(std::process::id());
    let is_own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, own)?;
    let to_itself = (libc::SYS_tgkill, vec![SeccompRule::new(vec![is_own])?]);
    let rules = allowed.into_iter().map(|call| (call, Vec::new())).chain([to_itself]).collect();
    let forbidden = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, forbidden, SeccompAction::Allow, std::env::consts::ARCH.try_into()?)?;
    apply_filter(&BpfProgram::try_from(filter)?)
}

fn process_upload(shape: &str) -> anyhow::Result<()> {
    // At the soft limit, the kernel sends SIGXCPU, so that the parent process sees why the worker exited. The hard
    // limit kills a worker that ignores SIGXCPU.
    setrlimit(Resource::RLIMIT_CPU, CPU_LIMIT_S, CPU_LIMIT_S + 1)?;
    // Some systems do not support a limit on the address space. The error is ignored, because the maximum number of
    // pixels also limits the memory.
    let _ = setrlimit(Resource::RLIMIT_AS, MEMORY_LIMIT, MEMORY_LIMIT);
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    let shape = CropMode::from_name(shape).context("unknown crop")?;
    let mut file = Vec::new();
    std::io::stdin().take(MAX_INPUT_BYTES).read_to_end(&mut file)?;
    #[cfg(target_os = "linux")]
    restrict_system_calls().context("cannot restrict system calls")?;
    let made = encode(&file, shape);
    let head = match &made {
        Ok(encoded) => OutputHeader::Files {
            names: encoded.files.iter().map(|(file, _)| file.to_string()).collect(),
            bytes: encoded.files.iter().map(|(_, bytes)| bytes.len()).collect(),
            has_stopped: encoded.lost_animation,
        },
        Err(problem) => OutputHeader::Problem(problem.clone()),
    };
    let mut output = std::io::stdout().lock();
    output.write_all(&serde_json::to_vec(&head)?)?;
    output.write_all(b"\n")?;
    for (_, bytes) in made.iter().flat_map(|encoded| &encoded.files) {
        output.write_all(bytes)?;
    }
    Ok(output.flush()?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::os::unix::net::UnixDatagram;

    use super::*;

    /// Checks permission to signal the parent process, without sending a signal.
    fn signal_parent() -> std::io::Result<()> {
        let parent = nix::unistd::getppid();
        Ok(nix::sys::signal::kill(parent, None)?)
    }

    #[test]
    fn worker_reaches_neither_files_nor_connections_nor_programs() {
        // A seccomp filter applies only to the thread that installs it, so the test uses its own thread.
        let errors = std::thread::spawn(|| {
            restrict_system_calls().unwrap();
            let errors = [
                std::fs::File::open("/etc/hostname").map(drop).unwrap_err(),
                std::fs::write("/tmp/written-by-the-worker", "x").unwrap_err(),
                TcpListener::bind("127.0.0.1:0").map(drop).unwrap_err(),
                UnixDatagram::unbound().map(drop).unwrap_err(),
                std::process::Command::new("/bin/true").spawn().map(drop).unwrap_err(),
                signal_parent().unwrap_err(),
            ];
            errors.map(|error| error.kind())
        });
        assert_eq!(errors.join().unwrap(), [ErrorKind::PermissionDenied; 6]);
    }
}
