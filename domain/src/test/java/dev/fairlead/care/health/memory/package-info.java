/** In-memory implementations of the health ports. */
@NullMarked
package dev.fairlead.care.health.memory;

import org.jspecify.annotations.NullMarked;
