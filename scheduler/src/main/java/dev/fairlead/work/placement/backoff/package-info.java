/** Nodes on which jobs failed recently, and how long they are avoided. */
@NullMarked
package dev.fairlead.work.placement.backoff;

import org.jspecify.annotations.NullMarked;
