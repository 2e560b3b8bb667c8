/** Placement quality on public traces by the protocol of fragmentation gradient descent. */
@NullMarked
package dev.fairlead.verify.engine.fgd;

import org.jspecify.annotations.NullMarked;
