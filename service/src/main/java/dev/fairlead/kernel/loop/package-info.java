/**
 * How loops run: a thread that ticks on a wake-up and at the latest after its idle time, and the
 * lease that lets it act.
 */
@NullMarked
package dev.fairlead.kernel.loop;

import org.jspecify.annotations.NullMarked;
