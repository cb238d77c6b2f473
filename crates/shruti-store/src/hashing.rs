//! Password hashes: Argon2id, with limited concurrency and reused memory.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version};
use subtle::ConstantTimeEq;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::StoreError;
use crate::password::{NewPassword, Password};

/// Cost of a hash: memory in KiB, passes and lanes. The OWASP Password Storage Cheat Sheet (2024) lists Argon2id with
/// 12 MiB, 3 passes and 1 lane among settings of equal strength. These parameters take as long as 19 MiB, 2 passes and
/// 1 lane, but need less memory. A stored hash contains its own parameters, so this constant can change.
const COST: (u32, u32, u32) = (12 * 1_024, 3, 1);
/// Length of a hash, in bytes.
const HASH_BYTES: usize = 32;
/// Maximum number of concurrent hashes, so that password guessing uses neither all cores nor more than 24 MiB.
const MAX_RUNNING: usize = 2;
/// Maximum number of waiting hashes; a further one fails with [`StoreError::PasswordsWait`].
const MAX_WAITING: usize = 64;
/// Hash that is verified if no password is stored, so that the attempt takes as long as with a password. Its output is
/// all zeros, which no password matches.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=12288,t=3,p=1$c2hydXRpc2hydXRpc2hydQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Stored password: a PHC string of Argon2id.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StoredPassword(pub(crate) String);

impl fmt::Debug for StoredPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoredPassword(…)")
    }
}

/// Creation and verification of password hashes on tokio's blocking threads, not on the threads of the store or on
/// async worker threads.
#[derive(Clone)]
pub(crate) struct Hashing {
    at_once: Arc<Semaphore>,
    admitted: Arc<Semaphore>,
    memory: Arc<Memory>,
}

impl fmt::Debug for Hashing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hashing").field("admitted", &self.admitted).finish_non_exhaustive()
    }
}

/// Memory that is reused between hashes: one buffer for each of the hashes that run concurrently.
///
/// The buffers are kept, because an allocator may not return such large blocks to the operating system: glibc allocates
/// the second and every later buffer from the arena of the calling thread, and each of the runtime's many threads has
/// its own arena.
#[derive(Default)]
struct Memory(Mutex<Vec<Vec<Block>>>);

impl Memory {
    /// Calls `work` with `blocks` blocks of memory, whose initial content is arbitrary.
    fn lend<T>(&self, blocks: usize, work: impl FnOnce(&mut [Block]) -> T) -> T {
        let mut piece = self.pieces().pop().unwrap_or_default();
        if piece.len() < blocks {
            piece.resize(blocks, Block::new());
        }
        let done = work(&mut piece[..blocks]);
        self.pieces().push(piece);
        done
    }

    fn pieces(&self) -> std::sync::MutexGuard<'_, Vec<Vec<Block>>> {
        // every change is a single push or pop, so a panic leaves a consistent state
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Permit to hash. It is released when all its clones are dropped and the work that uses it has ended.
#[derive(Clone)]
pub(crate) struct HashPermit {
    hashing: Hashing,
    admitted: Arc<OwnedSemaphorePermit>,
}

impl Hashing {
    pub(crate) fn new() -> Self {
        Self {
            at_once: Arc::new(Semaphore::new(MAX_RUNNING)),
            admitted: Arc::new(Semaphore::new(MAX_RUNNING + MAX_WAITING)),
            memory: Arc::default(),
        }
    }

    /// Returns a permit, or [`StoreError::PasswordsWait`] if too many hashes are running and waiting. Request the
    /// permit before any other work on a password, so that a refusal costs nothing.
    pub(crate) fn admit(&self) -> Result<HashPermit, StoreError> {
        let admitted =
            Arc::clone(&self.admitted).try_acquire_owned().map_err(|_| StoreError::PasswordsWait)?;
        Ok(HashPermit { hashing: self.clone(), admitted: Arc::new(admitted) })
    }
}

impl HashPermit {
    /// Returns the stored form of a new password.
    pub(crate) async fn hash(&self, password: NewPassword) -> Result<StoredPassword, StoreError> {
        self.work(move |memory| hash(memory, &password.0, COST)).await
    }

    /// Returns `true` if a password matches the stored one. Without a stored password the call takes the same time and
    /// returns `false`.
    pub(crate) async fn verify(
        &self,
        password: Password,
        stored: Option<StoredPassword>,
    ) -> Result<bool, StoreError> {
        self.work(move |memory| verify(memory, &password, stored.as_ref())).await
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Memory) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Self { hashing, admitted } = self.clone();
        let turn = hashing.at_once.acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let memory = hashing.memory;
        // the task holds the permits, so that a caller that is dropped does not release them while its hash still runs
        let working = tokio::task::spawn_blocking(move || {
            let _held = (admitted, turn);
            work(&memory)
        });
        working.await.map_err(|_| StoreError::Closed)?
    }
}

fn hash(memory: &Memory, password: &Password, cost: (u32, u32, u32)) -> Result<StoredPassword, StoreError> {
    let mut salt = [0_u8; 16];
    getrandom::fill(&mut salt)?;
    let (kibibytes, passes, lanes) = cost;
    let params = Params::new(kibibytes, passes, lanes, Some(HASH_BYTES)).map_err(broken)?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash = compute(memory, &argon2, password, &salt, HASH_BYTES)?;
    let encoded = PasswordHash {
        algorithm: Algorithm::Argon2id.ident(),
        version: Some(Version::V0x13.into()),
        params: ParamsString::try_from(argon2.params()).map_err(broken)?,
        salt: Some(Salt::new(&salt).map_err(broken)?),
        hash: Some(Output::new(&hash).map_err(broken)?),
    };
    Ok(StoredPassword(encoded.to_string()))
}

fn verify(memory: &Memory, password: &Password, stored: Option<&StoredPassword>) -> Result<bool, StoreError> {
    let text = stored.map_or(DUMMY_HASH, |stored| &stored.0);
    let encoded = PasswordHash::new(text).map_err(broken)?;
    let algorithm = Algorithm::try_from(encoded.algorithm.as_str()).map_err(broken)?;
    let version = encoded.version.map_or(Ok(Version::default()), Version::try_from).map_err(broken)?;
    let params = Params::try_from(&encoded).map_err(broken)?;
    let (Some(salt), Some(expected)) = (&encoded.salt, &encoded.hash) else {
        return Err(StoreError::Password("a hash without salt or output".to_owned()));
    };
    let argon2 = Argon2::new(algorithm, version, params);
    let hash = compute(memory, &argon2, password, salt, expected.len())?;
    let fits: bool = hash.ct_eq(expected.as_bytes()).into();
    Ok(fits && stored.is_some())
}

fn compute(
    memory: &Memory,
    argon2: &Argon2<'_>,
    password: &Password,
    salt: &[u8],
    bytes: usize,
) -> Result<Vec<u8>, StoreError> {
    let mut hash = vec![0; bytes];
    memory
        .lend(argon2.params().block_count(), |blocks| {
            argon2.hash_password_into_with_memory(password.0.as_bytes(), salt, &mut hash, blocks)
        })
        .map_err(broken)?;
    Ok(hash)
}

fn broken(error: impl fmt::Display) -> StoreError {
    StoreError::Password(error.to_string())
}

#[cfg(test)]
mod tests {
    use argon2::PasswordVerifier;

    use super::*;

    fn choose(typed: &str) -> NewPassword {
        NewPassword::choose(typed, &"asha.rao@example.org".parse().unwrap()).unwrap()
    }

    #[tokio::test]
    async fn a_hash_matches_only_its_password() {
        let hashing = Hashing::new();
        let permit = hashing.admit().unwrap();
        let stored = permit.hash(choose("tidal-kettle-é")).await.unwrap();
        assert!(stored.0.starts_with("$argon2id$v=19$m=12288,t=3,p=1$"), "the documented cost");
        let read = PasswordHash::new(&stored.0).unwrap();
        let by_others = Argon2::default().verify_password("tidal-kettle-é".as_bytes(), &read);
        by_others.expect("a hash like any other, whatever its memory held before");
        for (typed, fits) in [
            ("tidal-kettle-é", true),
            ("tidal-kettle-e\u{301}", true),
            ("tidal-kettle-e", false),
            ("Tidal-kettle-é", false),
            ("", false),
        ] {
            let verified = permit.verify(Password::typed(typed), Some(stored.clone())).await.unwrap();
            assert_eq!(verified, fits, "{typed}");
        }
        assert_ne!(permit.hash(choose("tidal-kettle-é")).await.unwrap(), stored, "salted");
        assert!(!permit.verify(Password::typed("tidal-kettle-é"), None).await.unwrap());
    }

    #[tokio::test]
    async fn a_hash_of_another_cost_stays_valid() {
        let stored =
            hash(&Memory::default(), &Password::typed("tidal-kettle-9"), (19 * 1_024, 2, 1)).unwrap();
        assert!(stored.0.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.0);
        let permit = Hashing::new().admit().unwrap();
        for (typed, fits) in [("tidal-kettle-9", true), ("tidal-kettle-8", false)] {
            let verified = permit.verify(Password::typed(typed), Some(stored.clone())).await;
            assert_eq!(verified.unwrap(), fits, "{typed}");
        }
    }

    #[test]
    fn checking_a_missing_password_takes_the_same_work() {
        let hash = PasswordHash::new(DUMMY_HASH).unwrap();
        let (memory, passes, lanes) = COST;
        let params = Params::try_from(&hash).unwrap();
        assert_eq!((params.m_cost(), params.t_cost(), params.p_cost()), (memory, passes, lanes));
        assert_eq!(hash.hash.unwrap().as_bytes().len(), HASH_BYTES);
        assert_eq!(hash.salt.unwrap().len(), 16);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn many_hashes_share_the_memory_of_two() {
        let hashing = Hashing::new();
        let wrong = |i: usize| {
            let permit = hashing.admit().unwrap();
            async move { permit.verify(Password::typed(&format!("wrong {i}")), None).await }
        };
        let tries: Vec<_> = (0..20).map(|i| tokio::spawn(wrong(i))).collect();
        for tried in tries {
            assert!(!tried.await.unwrap().unwrap());
        }
        let pieces: Vec<usize> = hashing.memory.pieces().iter().map(Vec::len).collect();
        assert!((1..=MAX_RUNNING).contains(&pieces.len()), "{pieces:?}");
        assert!(pieces.iter().all(|&blocks| blocks == COST.0 as usize), "{pieces:?}");
    }

    #[tokio::test]
    async fn waiting_hashes_are_bounded() {
        let hashing = Hashing::new();
        let held = Arc::clone(&hashing.at_once).acquire_many_owned(MAX_RUNNING as u32).await.unwrap();
        let verify = || {
            let hashing = hashing.clone();
            async move { hashing.admit()?.verify(Password::typed("x"), None).await }
        };
        let mut waiting: Vec<_> = (0..MAX_RUNNING + MAX_WAITING).map(|_| Box::pin(verify())).collect();
        for wait in &mut waiting {
            std::future::poll_fn(|context| {
                assert!(wait.as_mut().poll(context).is_pending());
                std::task::Poll::Ready(())
            })
            .await;
        }
        assert!(matches!(verify().await, Err(StoreError::PasswordsWait)));
        drop(waiting);
        drop(held);
        assert!(!verify().await.unwrap(), "there is room again");
    }
}
