//! Recompiles the crate when a migration or a translation file is added. The macros that embed these folders only track
//! files that existed at the last build.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=locales");
}
