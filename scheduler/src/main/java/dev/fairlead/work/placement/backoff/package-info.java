/** Nodes on which jobs failed recently, and for how long they are avoided. */
@NullMarked
package dev.fairlead.work.placement.backoff;

import org.jspecify.annotations.NullMarked;
