/** The performance test of Kueue's scheduler, replayed against Fairlead. */
@NullMarked
package dev.fairlead.verify.load.kueue;

import org.jspecify.annotations.NullMarked;
