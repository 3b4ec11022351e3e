use schedq::catalog;
use schedq::plan::*;
use schedq::source::live::*;
use std::time::*;
fn main() {
    let f = catalog::family("runq").unwrap();
    let m = f.measure("latency").unwrap();
    let arg = std::env::args().nth(1).unwrap_or_default();
    let keys: Vec<&'static catalog::Column> =
        arg.split(',').filter(|s| !s.is_empty()).map(|n| f.column(n).unwrap()).collect();
    let hist = std::env::args().nth(2).is_some();
    let scan = Scan {
        family: f,
        measure: Some(m),
        clauses: vec![],
        output: Output::Groups { keys, needs: Needs { sum: true, extremes: true, max_at: false, histogram: hist } },
        every_ns: None,
        bound_ns: Some(2_000_000_000),
        idle: false,
        own: false,
        map_bytes: 256 << 20,
        groups: None,
    };
    let t = Instant::now();
    let mut l = match Live::attach(&scan, Processes { own: std::process::id(), child: None }) {
        Ok(l) => l,
        Err(e) => {
            println!("{e:?}");
            return;
        }
    };
    println!("attached {:?}", t.elapsed());
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC).unwrap();
    l.open(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64).unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let t = Instant::now();
    l.close().unwrap();
    let (table, acc, _) = l.finish().unwrap();
    println!("read {:?}", t.elapsed());
    println!("{acc:#?}");
    for i in 0..table.height.min(30) {
        for c in &table.columns {
            match &c.values {
                schedq::source::Values::Int(v) => print!("{:?} ", v[i]),
                schedq::source::Values::Text(v) => print!("{:?} ", v[i]),
                schedq::source::Values::Bool(v) => print!("{:?} ", v[i]),
            }
        }
        let c = &table.cells.as_ref().unwrap()[i];
        println!(
            "{} {} {} {} {:?}",
            c.count,
            c.sum,
            c.min,
            c.max,
            c.histogram.buckets.iter().take(4).collect::<Vec<_>>()
        );
    }
}
