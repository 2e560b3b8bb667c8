/** Twin of the port of health. */
@NullMarked
package dev.fairlead.care.health.memory;

import org.jspecify.annotations.NullMarked;
