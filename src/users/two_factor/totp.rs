//! Codes as authenticator apps make them: six digits, every 30 seconds.

use qrcode::{Color, QrCode};
use totp_rs::{Builder, Totp};

use crate::signing::{Kept, Keys};
use crate::web::error::AppError;

/// An app that has its secret from here.
pub struct App(Totp);

impl App {
    /// The one whose secret this is. None where the key that it was kept with is not here.
    ///
    /// # Errors
    /// Never in practice: all that is checked is made here.
    pub fn of(keys: &Keys, kept: &Kept, site: &str, username: &str) -> Result<Option<Self>, AppError> {
        let Some(secret) = keys.app_secret(kept) else { return Ok(None) };
        // A colon divides the two in the address that the app reads.
        let issuer = site.replace(':', " ");
        let builder = Builder::new().with_secret(secret.to_vec()).with_skew(1);
        let totp = builder.with_issuer(Some(issuer)).with_account_name(username.to_owned()).build();
        totp.map(|totp| Some(Self(totp))).map_err(|error| AppError::Internal(error.to_string()))
    }

    /// The number of the 30 seconds that a code is of, if it is of those before, now or after.
    pub fn step(&self, code: &str, now: i64) -> Option<i64> {
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let step = self.0.check(&digits, u64::try_from(now).ok()?)?;
        i64::try_from(step).ok()
    }

    /// For people who type it.
    pub fn secret(&self) -> String {
        let letters: Vec<char> = self.0.secret().to_base32().chars().collect();
        letters.chunks(4).map(|four| four.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    }

    /// The address that an app reads, `otpauth://totp/…`.
    pub fn url(&self) -> Result<String, AppError> {
        self.0.to_url().map_err(|error| AppError::Internal(error.to_string()))
    }

    /// A QR code of the address: its width in squares, and the path of an SVG that draws the dark ones.
    pub fn picture(&self) -> Result<(usize, String), AppError> {
        let code = QrCode::new(self.url()?).map_err(|error| AppError::Internal(error.to_string()))?;
        let width = code.width();
        let dark = code.to_colors().into_iter().enumerate().filter(|(_, colour)| *colour == Color::Dark);
        let squares: Vec<String> = dark.map(|(at, _)| format!("M{} {}h1v1h-1z", at % width, at / width)).collect();
        Ok((width, squares.concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::SecretKey;

    #[test]
    fn a_code_is_of_its_time_and_its_secret() {
        let keys = Keys::derive(&SecretKey::from_text("0123456789abcdef0123456789abcdef").unwrap());
        let kept = |salt: u8| Kept { salt: vec![salt; 16], mask: None, key_id: keys.id().to_vec() };
        let app = |salt: u8| App::of(&keys, &kept(salt), "Heron: a site", "آن").unwrap().unwrap();
        let now = 1_790_000_010;
        let code = app(1).0.generate(1_790_000_010).to_string();
        assert_eq!(app(1).step(&format!(" {} {} ", &code[..3], &code[3..]), now), Some(now / 30));
        assert_eq!(app(1).step(&code, now + 30), Some(now / 30));
        assert_eq!(app(1).step(&code, now - 30), Some(now / 30));
        assert_eq!((app(1).step(&code, now + 60), app(1).step(&code, now - 60)), (None, None));
        assert_eq!(app(2).step(&code, now), None);
        for bad in ["", "12345", "1234567", "abcdef", &"1".repeat(10_000)] {
            assert_eq!(app(1).step(bad, now), None, "{bad:.20}");
        }
        let url = app(1).url().unwrap();
        assert!(url.starts_with("otpauth://totp/") && url.contains("issuer=") && !url.contains(' '), "{url}");
        assert_eq!(app(1).secret().replace(' ', "").len(), 32);
        let (width, path) = app(1).picture().unwrap();
        assert!(width >= 21 && path.matches('M').count() > 100);
    }
}
