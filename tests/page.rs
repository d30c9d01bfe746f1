//! The library in a browser: the page under tools/web, through WebGPU in Chromium.

mod browser;

use browser::{Served, posted, tell};
use std::collections::HashSet;
use std::path::PathBuf;

const PAGE: &str = r"<!doctype html><meta charset=utf-8><script type=module>
const post = (where, text) => fetch(where, { method: 'POST', body: text });
addEventListener('error', (event) => post('/failed', String(event.error ?? event.message)));
addEventListener('unhandledrejection', (event) => post('/failed', String(event.reason)));
try {
    const { default: start, report } = await import('/page.js');
    await start({ module_or_path: '/page.wasm' });
    await post('/done', await report());
} catch (error) {
    await post('/failed', `${error}\n${error.stack}`);
}
</script>";

/// Every case's device half is its host half, but for the wrong kernel's.
#[test]
#[ignore = "scripts/wasm makes the page and runs this"]
fn the_library_reduces_in_chromium() {
    let folder = std::env::var_os("TREEFOLD_PAGE").expect("the page's folder, which scripts/wasm makes");
    let file = |name: &str| std::fs::read(PathBuf::from(&folder).join(name)).expect("a file of the page");
    let served = vec![
        Served::new("/", "text/html", PAGE),
        Served::new("/page.js", "text/javascript", file("treefold_page.js")),
        Served::new("/page.wasm", "application/wasm", file("treefold_page_bg.wasm")),
    ];
    let Some(report) = posted(served, "page") else { return };
    let mut cases = HashSet::new();
    for line in report.lines() {
        let parts: Vec<&str> = line.split('\u{1}').collect();
        let [case, found, right] = parts[..] else { panic!("{line:?}") };
        let agree = found == right;
        assert_eq!(agree, case != "a wrong kernel", "{case}: the browser gives {found}, right is {right}\n\n{report}");
        cases.insert(case);
    }
    for op in ["sum", "argmax", "checksum"] {
        for case in ["on a device of one's own", "of a part", "from host memory", "of nothing"] {
            assert!(cases.contains(format!("{op} {case}").as_str()), "no case of {op} {case}:\n{report}");
        }
    }
    assert!(cases.contains("a wrong kernel"), "it ended early:\n{report}");
    tell(&format!("{} cases by Chromium", cases.len()));
}
