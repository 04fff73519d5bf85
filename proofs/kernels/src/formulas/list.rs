//! The formulas that blocks are compared with.
//!
//! Names are those of the Explicit-Formulas Database (EFD), of papers, or of RFCs; steps stand in the order in which the library
//! computes them, and the search takes products in that order. `tests` compares them with the pages' own steps.
//!
//! | coordinates | the point (x, y) |
//! |---|---|
//! | X Y Z, of edwards25519 and of complete formulas | x = X/Z, y = Y/Z |
//! | X Y Z T | the same, and T = XY/Z |
//! | E F G H | X = EF, Y = GH, Z = FG, T = EH |
//! | X Y Z, of other formulas on NIST curves | x = X/Z^2, y = Y/Z^3 |
//! | X Z, of the ladder | u = X/Z |

use super::formula::Source;

const ED: &[&str] = &["2^255-19", "2^255-19 in limbs of 51 bits"];
const NIST: &[&str] = &["P-256", "P-384"];
const ALL: &[&str] = &["2^255-19", "2^255-19 in limbs of 51 bits", "P-256", "P-384"];

macro_rules! from_completed {
    () => {
        "X1 = E1*F1; Y1 = G1*H1; Z1 = F1*G1; T1 = E1*H1;"
    };
}
macro_rules! add {
    () => {
        "A = (Y1 - X1)*(Y2 - X2); B = (Y1 + X1)*(Y2 + X2); E = B - A; H = B + A;
         C = T1*(2*d*T2); D = Z1*(2*Z2); F = D - C; G = D + C;"
    };
}
macro_rules! madd {
    () => {
        "A = (Y1 - X1)*(Y2 - X2); B = (Y1 + X1)*(Y2 + X2); E = B - A; H = B + A;
         C = T1*(2*d*T2); D = 2*Z1; F = D - C; G = D + C;"
    };
}
macro_rules! double {
    () => {
        "A = X1*X1; B = Y1*Y1; G = B - A; H = B + A; C = Z1*Z1; F = 2*C - G; E = 2*(X1*Y1);"
    };
}
macro_rules! projective {
    () => {
        "X3 = E*F; Z3 = F*G; Y3 = G*H;"
    };
}
macro_rules! extended {
    () => {
        "X3 = E*F; Z3 = F*G; Y3 = G*H; T3 = E*H;"
    };
}
macro_rules! complete {
    () => {
        "bzz = b*zz; bxz = b*xz; minus = yy - 3*xz + 3*bzz; plus = yy + 3*xz - 3*bzz
         w = 3*bxz - 9*zz - 3*xx; q = 3*xx - 3*zz
         X3 = xy*plus - yz*w; Y3 = plus*minus + q*w; Z3 = yz*minus + xy*q"
    };
}

const fn source(
    name: &'static str,
    fields: &'static [&'static str],
    inputs: &'static str,
    steps: &'static str,
    outputs: &'static str,
) -> Source {
    Source { name, fields, inputs, steps, outputs, signs: false }
}

const fn signed(source: Source) -> Source {
    Source { signs: true, ..source }
}

/// Formulas. Longer ones stand first: a product belongs to the first formula that has it.
pub const FORMULAS: &[Source] = &[
    signed(source(
        "add-2008-hwcd-3, completed to extended",
        ED,
        "E1 F1 G1 H1 X2 Y2 Z2 T2",
        concat!(from_completed!(), add!(), extended!()),
        "X3 Y3 Z3 T3",
    )),
    signed(source(
        "madd-2008-hwcd-3, completed to extended",
        ED,
        "E1 F1 G1 H1 X2 Y2 T2",
        concat!(from_completed!(), madd!(), extended!()),
        "X3 Y3 Z3 T3",
    )),
    signed(source(
        "add-2008-hwcd-3, completed to projective",
        ED,
        "E1 F1 G1 H1 X2 Y2 Z2 T2",
        concat!(from_completed!(), add!(), projective!()),
        "X3 Y3 Z3",
    )),
    signed(source(
        "madd-2008-hwcd-3, completed to projective",
        ED,
        "E1 F1 G1 H1 X2 Y2 T2",
        concat!(from_completed!(), madd!(), projective!()),
        "X3 Y3 Z3",
    )),
    signed(source(
        "add-2008-hwcd-3, completed to completed",
        ED,
        "E1 F1 G1 H1 X2 Y2 Z2 T2",
        concat!(from_completed!(), add!()),
        "E F G H",
    )),
    signed(source(
        "madd-2008-hwcd-3, completed to completed",
        ED,
        "E1 F1 G1 H1 X2 Y2 T2",
        concat!(from_completed!(), madd!()),
        "E F G H",
    )),
    source(
        "dbl-2008-hwcd, completed to completed",
        ED,
        "E1 F1 G1 H1",
        concat!("X1 = E1*F1; Y1 = G1*H1; Z1 = F1*G1;", double!()),
        "E F G H",
    ),
    signed(source(
        "add-2008-hwcd-3, extended to extended",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 Z2 T2",
        concat!(add!(), extended!()),
        "X3 Y3 Z3 T3",
    )),
    source(
        "dbl-2008-hwcd, projective to extended",
        ED,
        "X1 Y1 Z1",
        concat!(double!(), extended!()),
        "X3 Y3 Z3 T3",
    ),
    signed(source(
        "madd-2008-hwcd-3, extended to extended",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 T2",
        concat!(madd!(), extended!()),
        "X3 Y3 Z3 T3",
    )),
    source(
        "dbl-2008-hwcd, projective to projective",
        ED,
        "X1 Y1 Z1",
        concat!(double!(), projective!()),
        "X3 Y3 Z3",
    ),
    signed(source(
        "add-2008-hwcd-3, extended to projective",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 Z2 T2",
        concat!(add!(), projective!()),
        "X3 Y3 Z3",
    )),
    signed(source(
        "madd-2008-hwcd-3, extended to projective",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 T2",
        concat!(madd!(), projective!()),
        "X3 Y3 Z3",
    )),
    source(
        "RFC 7748 ladder step, after DA and CB",
        ED,
        "X1 X2 Z2 DA CB",
        "A = X2 + Z2; B = X2 - Z2; AA = A*A; BB = B*B; E = AA - BB; X4 = AA*BB; Z4 = E*(AA + 121665*E)
         S = DA + CB; T = DA - CB; X5 = S*S; TT = T*T; Z5 = X1*TT",
        "X4 Z4 X5 Z5",
    ),
    source(
        "RFC 7748 doubling",
        ED,
        "X Z",
        "A = X + Z; B = X - Z; AA = A*A; BB = B*B; E = AA - BB; X4 = AA*BB; Z4 = E*(AA + 121665*E)",
        "X4 Z4",
    ),
    source(
        "RFC 7748 doubling, before its products",
        ED,
        "X Z",
        "A = X + Z; B = X - Z; AA = A*A; BB = B*B; E = AA - BB; K = AA + 121665*E",
        "AA BB E K",
    ),
    source(
        "RFC 8032 5.1.3: u, v, u*v^3, u*v^7",
        ED,
        "y",
        "yy = y*y; u = yy - 1; v = d*yy + 1; v2 = v*v; v3 = v2*v; v6 = v3*v3; v7 = v6*v; uv3 = u*v3; uv7 = u*v7",
        "u v uv3 uv7",
    ),
    source(
        "RFC 8032 5.1.3: u, v, v^3, u*v^7",
        ED,
        "y",
        "yy = y*y; u = yy - 1; v = d*yy + 1; v2 = v*v; v3 = v2*v; v6 = v3*v3; v7 = v6*v; uv7 = u*v7",
        "u v v3 uv7",
    ),
    source(
        "add-2008-hwcd-3, extended to completed",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 Z2 T2",
        add!(),
        "E F G H",
    ),
    source(
        "madd-2008-hwcd-3, extended to completed",
        ED,
        "X1 Y1 Z1 T1 X2 Y2 T2",
        madd!(),
        "E F G H",
    ),
    source("dbl-2008-hwcd, projective to completed", ED, "X1 Y1 Z1", double!(), "E F G H"),
    source("completed to extended", ED, "E F G H", extended!(), "X3 Y3 Z3 T3"),
    source("completed to projective", ED, "E F G H", projective!(), "X3 Y3 Z3"),
    source(
        "affine to extended, Z = 4",
        ED,
        "x_2 y_2",
        "T = x_2*y_2; X = 2*x_2; Y = 2*y_2",
        "X Y T",
    ),
    source(
        "extended to cached",
        ED,
        "X Y Z T",
        "S = Y + X; D = Y - X; W = 2*Z; K = 2*d*T",
        "S D W K",
    ),
    source(
        "Renes-Costello-Batina 2016, algorithm 4",
        NIST,
        "X1 Y1 Z1 X2 Y2 Z2 b",
        concat!(
            "xx = X1*X2; yy = Y1*Y2; xy = (X1 + Y1)*(X2 + Y2) - xx - yy; zz = Z1*Z2
             xz = (X1 + Z1)*(X2 + Z2) - xx - zz; yz = (Y1 + Z1)*(Y2 + Z2) - yy - zz;",
            complete!()
        ),
        "X3 Y3 Z3",
    ),
    source(
        "Renes-Costello-Batina 2016, algorithm 5",
        NIST,
        "X1 Y1 Z1 X2 Y2 b",
        concat!(
            "xx = X1*X2; yy = Y1*Y2; xy = (X1 + Y1)*(X2 + Y2) - xx - yy; zz = Z1
             xz = X2*Z1 + X1; yz = Y2*Z1 + Y1;",
            complete!()
        ),
        "X3 Y3 Z3",
    ),
    signed(source(
        "madd-2004-hmv",
        NIST,
        "X1 Y1 Z1 X2 Y2",
        "ZZ = Z1*Z1; ZZZ = ZZ*Z1; U2 = X2*ZZ; S2 = Y2*ZZZ; H = U2 - X1; R = S2 - Y1; HH = H*H; HHH = H*HH
         V = X1*HH; X3 = R*R - HHH - 2*V; Y3 = R*(V - X3) - Y1*HHH; Z3 = Z1*H",
        "X3 Y3 Z3",
    )),
    source(
        "dbl-2001-b, the opposite point, half of Z",
        NIST,
        "X Y Z",
        "delta = Z*Z; gamma = Y*Y; beta = X*gamma; alpha = 3*((X - delta)*(X + delta)); YZ = Y*Z
         X3 = alpha*alpha - 8*beta; minusY3 = alpha*(X3 - 4*beta) + 8*(gamma*gamma)",
        "X3 minusY3 YZ",
    ),
    source(
        "mdbl-2007-bl and the point over its Z, before the last difference",
        NIST,
        "x y",
        "yy = y*y; xyy = x*yy; s = 4*xyy; w = 3*(x*x) - 3; yyyy = yy*yy; X3 = w*w - 2*s; M = w*(s - X3)",
        "X3 M s yyyy",
    ),
    source(
        "Meloni 2007, addition over one Z, before the last difference",
        NIST,
        "X1 Y1 X2 Y2",
        "D = X2 - X1; A = D*D; B = X1*A; C = X2*A; R = Y2 - Y1; X3 = R*R - B - C; E = Y1*(C - B); M = R*(B - X3)",
        "X3 M B E D",
    ),
    source(
        "affine of Jacobian, given 1/Z",
        NIST,
        "X Y Zi",
        "zz = Zi*Zi; zzz = zz*Zi; x = X*zz; y = Y*zzz",
        "x y",
    ),
];

/// Products that belong to no formula.
pub const SINGLE: &[Source] =
    &[source("square", ALL, "a", "c = a*a", "c"), source("product", ALL, "a b", "c = a*b", "c")];
