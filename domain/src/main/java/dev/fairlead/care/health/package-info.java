/** Faults of machines: what an event means, what it takes out of use, and for how long. */
@NullMarked
package dev.fairlead.care.health;

import org.jspecify.annotations.NullMarked;
