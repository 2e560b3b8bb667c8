/** Detects unbounded growth of sampled quantities. */
@NullMarked
package dev.fairlead.verify.load.growth;

import org.jspecify.annotations.NullMarked;
