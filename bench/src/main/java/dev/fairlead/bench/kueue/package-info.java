/** The performance test of Kueue's scheduler, replayed against Fairlead. */
@NullMarked
package dev.fairlead.bench.kueue;

import org.jspecify.annotations.NullMarked;
