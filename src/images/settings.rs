//! Settings of the image store and of the quota.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use crate::config::{Env, InvalidSetting, is_loopback_host};

const ALLOWED: &str =
    "file:FOLDER or s3://BUCKET/FOLDER (only letters, digits, -, _ and .; BUCKET with at least 3 characters)";

const ALLOWED_ENDPOINT: &str = "a URL such as https://s3.example.org";

#[derive(Clone, Debug)]
pub struct ImageSettings {
    pub location: StorageLocation,
    pub quota_bytes: u64,
    /// Executable of the image worker, or `None` for the executable of this process.
    pub worker_program: Option<PathBuf>,
}

#[derive(Clone, Debug)]
pub enum StorageLocation {
    Folder(PathBuf),
    S3(S3Bucket),
}

impl StorageLocation {
    pub fn uses_unencrypted_connection(&self) -> bool {
        let Self::S3(S3Bucket { endpoint: Some(endpoint), .. }) = self else { return false };
        endpoint.scheme() != "https" && !endpoint.host_str().is_some_and(is_loopback_host)
    }
}

#[derive(Clone)]
pub struct S3Bucket {
    pub name: String,
    /// Prefix of all object keys; may be empty.
    pub folder: String,
    /// Endpoint of an S3-compatible server, or `None` for Amazon S3.
    pub endpoint: Option<Url>,
    pub region: String,
    pub access_key_id: String,
    pub secret_access_key: String,
}

/// `Debug` output without the access keys, which must not be logged.
impl fmt::Debug for S3Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bucket({}/{})", self.name, self.folder)
    }
}

impl ImageSettings {
    pub fn from_env(env: &Env, data_dir: &std::path::Path) -> Result<Self, InvalidSetting> {
        let megabytes = env.get_integer("IMAGE_QUOTA_MB", 100, 1..=1_000_000, "megabytes")?;
        // The S3 variables are read even if images are stored in a local folder, so that they are not reported as
        // unknown.
        let endpoint = env.parse::<Url>("AWS_ENDPOINT_URL", ALLOWED_ENDPOINT)?;
        if endpoint.as_ref().is_some_and(|url| !["https", "http"].contains(&url.scheme())) {
            return Err(env.invalid_setting("AWS_ENDPOINT_URL", ALLOWED_ENDPOINT));
        }
        let region = env.get("AWS_REGION")?.unwrap_or("us-east-1").to_owned();
        let (key_id, secret_key) = (env.get("AWS_ACCESS_KEY_ID")?, env.get("AWS_SECRET_ACCESS_KEY")?);
        let location = match env.get("IMAGE_STORE")? {
            None => StorageLocation::Folder(data_dir.join("images")),
            Some(text) => match text.strip_prefix("file:") {
                Some(folder) if !folder.is_empty() => StorageLocation::Folder(PathBuf::from(folder)),
                _ => {
                    let (name, folder) =
                        parse_bucket(text).ok_or_else(|| env.invalid_setting("IMAGE_STORE", ALLOWED))?;
                    StorageLocation::S3(S3Bucket {
                        name,
                        folder,
                        endpoint,
                        region,
                        access_key_id: required("AWS_ACCESS_KEY_ID", key_id)?,
                        secret_access_key: required("AWS_SECRET_ACCESS_KEY", secret_key)?,
                    })
                }
            },
        };
        Ok(Self { location, quota_bytes: u64::from(megabytes) * 1_000_000, worker_program: None })
    }
}

fn required(variable: &str, value: Option<&str>) -> Result<String, InvalidSetting> {
    let missing = || InvalidSetting::new(variable, "is required if IMAGE_STORE is an S3 bucket");
    value.map(str::to_owned).ok_or_else(missing)
}

/// Parses `s3://NAME/FOLDER`, and returns the name of the bucket and the folder.
fn parse_bucket(text: &str) -> Option<(String, String)> {
    let rest = text.strip_prefix("s3://")?;
    let (name, folder) = rest.split_once('/').unwrap_or((rest, ""));
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte));
    (name.len() >= 3 && is_plain).then(|| (name.to_owned(), folder.trim_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<ImageSettings, String> {
        let env = variables.iter().copied().collect();
        ImageSettings::from_env(&env, Path::new("/data")).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_storage_location() {
        let folder = |variables: &[(&str, &str)]| match read(variables).unwrap().location {
            StorageLocation::Folder(folder) => folder,
            StorageLocation::S3(bucket) => panic!("{bucket:?}"),
        };
        assert_eq!(folder(&[]), Path::new("/data/images"));
        assert_eq!(folder(&[("IMAGE_STORE", "file:/srv/images")]), Path::new("/srv/images"));
        assert_eq!(read(&[("IMAGE_QUOTA_MB", "3")]).unwrap().quota_bytes, 3_000_000);
        let keys = [("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "canary")];
        let with = |store, more: &[(&'static str, &'static str)]| read(&[&[("IMAGE_STORE", store)], more].concat());
        let settings = with("s3://pictures/of/blog/", &keys).unwrap();
        assert!(!format!("{settings:?}").contains("canary"));
        let StorageLocation::S3(bucket) = settings.location else { panic!("{settings:?}") };
        assert_eq!((bucket.name.as_str(), bucket.folder.as_str()), ("pictures", "of/blog"));
        for store in ["s3://", "s3://a b/", "/srv/images", "file:", "ftp://x/y"] {
            assert!(with(store, &keys).unwrap_err().starts_with("IMAGE_STORE "), "{store}");
        }
        assert!(with("s3://pictures", &keys[..1]).unwrap_err().starts_with("AWS_SECRET_ACCESS_KEY "));
        let wrong = [keys[0], keys[1], ("AWS_ENDPOINT_URL", "s3.example.org")];
        assert!(with("s3://pictures", &wrong).unwrap_err().starts_with("AWS_ENDPOINT_URL "));
    }
}
