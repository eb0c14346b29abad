pub mod limiters;
