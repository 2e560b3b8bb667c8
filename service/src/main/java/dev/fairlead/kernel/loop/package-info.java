/**
 * Runs loops: each has a thread, which runs a pass on every wake-up or after its idle time, and a
 * lease, which allows the thread to act.
 */
@NullMarked
package dev.fairlead.kernel.loop;

import org.jspecify.annotations.NullMarked;
