/** Faults of machines: the meaning of an event, the isolation that follows, and its duration. */
@NullMarked
package dev.fairlead.care.health;

import org.jspecify.annotations.NullMarked;
