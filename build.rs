//! Compiles the crate anew when a migration is added: `sqlx::migrate!` alone notices only changes of those it knows.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
