/** Mixed load for long, and whether anything grows with it. */
@NullMarked
package dev.fairlead.bench.soak;

import org.jspecify.annotations.NullMarked;
