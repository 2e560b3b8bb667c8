/** Twin of the port of health. */
@NullMarked
package dev.fairlead.health.memory;

import org.jspecify.annotations.NullMarked;
