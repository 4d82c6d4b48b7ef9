//! Bodies that were compressed on the way, as they were before. What is passed on stays as it is.

use std::io::Read as _;

use super::seen::SeenHeaders;
use flate2::read::{MultiGzDecoder, ZlibDecoder};

/// The body, readable; or by which coding it can't be read here.
pub(super) fn plain(headers: &SeenHeaders, bytes: Vec<u8>, most: usize) -> Result<Vec<u8>, String> {
    let coding = headers.get("content-encoding");
    let coding = coding.map(|value| String::from_utf8_lossy(value).to_ascii_lowercase());
    let coding = coding.unwrap_or_default();
    let mut out = Vec::new();
    // A small body may come to more than all memory.
    let most_read = most as u64 + 1;
    let read = match coding.trim() {
        _ if bytes.is_empty() => return Ok(bytes),
        "" | "identity" => return Ok(bytes),
        "gzip" | "x-gzip" => MultiGzDecoder::new(&bytes[..])
            .take(most_read)
            .read_to_end(&mut out),
        "deflate" => ZlibDecoder::new(&bytes[..])
            .take(most_read)
            .read_to_end(&mut out),
        _ => return Err(format!("it is compressed as {}", name(&coding))),
    };
    match read {
        Ok(length) if length > most => Err(format!("it is over {most} bytes uncompressed")),
        Ok(_) => Ok(out),
        Err(_) => Err(format!("it is not what its coding says, {}", name(&coding))),
    }
}

/// A coding, as far as it is a word.
fn name(coding: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    coding.chars().filter(plain).take(20).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use hyper::HeaderMap;
    use std::io::Write as _;

    fn read(coding: &str, bytes: &[u8], most: usize) -> Result<String, String> {
        let mut headers = HeaderMap::new();
        headers.insert("content-encoding", coding.parse().unwrap());
        let read = plain(&SeenHeaders::of(&headers), bytes.to_vec(), most);
        read.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn what_is_compressed_is_read_up_to_the_bound() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"{\"a\":1}").unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(read("gzip", &packed, 100), Ok("{\"a\":1}".to_owned()));
        assert!(
            read("gzip", &packed, 3)
                .unwrap_err()
                .contains("over 3 bytes")
        );
        assert!(
            read("gzip", b"{}", 100)
                .unwrap_err()
                .contains("not what its coding says")
        );
        assert!(
            read("br", b"{}", 100)
                .unwrap_err()
                .contains("compressed as br")
        );
        assert_eq!(read("identity", b"{}", 100), Ok("{}".to_owned()));
    }
}
