/** Conformance cases: situations with the outcome that other schedulers' own tests expect. */
@NullMarked
package dev.fairlead.bench.cases;

import org.jspecify.annotations.NullMarked;
