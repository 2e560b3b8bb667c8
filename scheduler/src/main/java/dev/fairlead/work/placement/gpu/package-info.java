/** GPUs of one node: what is free on each, which ones a member takes. */
@NullMarked
package dev.fairlead.work.placement.gpu;

import org.jspecify.annotations.NullMarked;
