// Checks a LayerNorm forward in Rust against the corpus. Usage: layer_norm <corpus>
use std::ffi::{c_char, c_double, c_void, CStr, CString};

#[repr(C)]
struct Tensor {
    name: *const c_char,
    dtype: i32,
    rank: i32,
    shape: *const i64,
    data: *const c_void,
    bytes: usize,
}

#[repr(C)]
struct Case {
    path: *const c_char,
    op: *const c_char,
    mode: *const c_char,
    options: *const c_char,
    why: *const c_char,
    json: *const c_char,
    dtype: i32,
    is_sequence: i32,
    input_count: usize,
    inputs: *const Tensor,
}

#[repr(C)]
struct Verdict {
    passed: i32,
    ratio: c_double,
    text: *const c_char,
}

#[link(name = "normproof")]
extern "C" {
    fn normproof_open(folder: *const c_char, glob: *const c_char, out: *mut *mut c_void) -> i32;
    fn normproof_close(corpus: *mut c_void);
    fn normproof_error(corpus: *const c_void) -> *const c_char;
    fn normproof_case_count(corpus: *const c_void) -> usize;
    fn normproof_set(corpus: *mut c_void, name: *const c_char, value: *const c_char) -> i32;
    fn normproof_select(corpus: *mut c_void, index: usize, out: *mut Case) -> i32;
    fn normproof_option(corpus: *mut c_void, name: *const c_char) -> *const c_char;
    fn normproof_answer(corpus: *mut c_void, name: *const c_char, dtype: i32, rank: i32,
                        shape: *const i64, data: *const c_void) -> i32;
    fn normproof_judge(corpus: *mut c_void, out: *mut Verdict) -> i32;
    fn normproof_totals(corpus: *mut c_void, judged: *mut usize, passed: *mut usize) -> i32;
}

unsafe fn text(pointer: *const c_char) -> String {
    CStr::from_ptr(pointer).to_string_lossy().into_owned()
}

fn layer_norm(x: &[f64], gamma: &[f64], beta: &[f64], eps: f64) -> Vec<f64> {
    let n = gamma.len();
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(n) {
        let mean = row.iter().sum::<f64>() / n as f64;
        let variance = row.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64;
        let rstd = 1.0 / (variance + eps).sqrt();
        y.extend((0..n).map(|d| gamma[d] * ((row[d] - mean) * rstd) + beta[d]));
    }
    y
}

fn main() {
    let c = |s: &str| CString::new(s).unwrap();
    let folder = c(&std::env::args().nth(1).expect("a corpus"));
    unsafe {
        let mut corpus = std::ptr::null_mut();
        let check = |status: i32, corpus: *mut c_void| {
            assert_eq!(status, 0, "{}", text(normproof_error(corpus)))
        };
        let status =
            normproof_open(folder.as_ptr(), c("quick/layer_norm/*float64*").as_ptr(), &mut corpus);
        check(status, corpus);
        check(normproof_set(corpus, c("outputs").as_ptr(), c("y").as_ptr()), corpus);
        for i in 0..normproof_case_count(corpus) {
            let mut case: Case = std::mem::zeroed();
            check(normproof_select(corpus, i, &mut case), corpus);
            let inputs = std::slice::from_raw_parts(case.inputs, case.input_count);
            let find = |name: &str| inputs.iter().find(|t| text(t.name) == name);
            let values = |t: &Tensor| {
                std::slice::from_raw_parts(t.data as *const f64, t.bytes / 8).to_vec()
            };
            let x = find("x").unwrap();
            let features = *x.shape.add(x.rank as usize - 1) as usize;
            let gamma = find("gamma").map_or(vec![1.0; features], values);
            let beta = find("beta").map_or(vec![0.0; features], values);
            let eps: f64 = text(normproof_option(corpus, c("eps").as_ptr())).parse().unwrap();
            let y = layer_norm(&values(x), &gamma, &beta, eps);
            let data = y.as_ptr() as *const c_void;
            let status =
                normproof_answer(corpus, c("y").as_ptr(), case.dtype, x.rank, x.shape, data);
            check(status, corpus);
            let mut verdict: Verdict = std::mem::zeroed();
            check(normproof_judge(corpus, &mut verdict), corpus);
            println!("{} {} {}", text(case.path), verdict.ratio, text(verdict.text));
        }
        let (mut judged, mut passed) = (0, 0);
        check(normproof_totals(corpus, &mut judged, &mut passed), corpus);
        assert_eq!((judged, passed), (5, 5));
        normproof_close(corpus);
    }
}
