//! Compiles the crate anew when a migration or a catalogue is added: what includes them notices only changes of those it
//! knows.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    println!("cargo:rerun-if-changed=locales");
}
