/**
 * Execution of loops: a thread that runs a pass on a wake-up and at the latest after its idle time,
 * and the lease that allows it to act.
 */
@NullMarked
package dev.fairlead.kernel.loop;

import org.jspecify.annotations.NullMarked;
