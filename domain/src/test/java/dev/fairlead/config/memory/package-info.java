/** The twin of the configuration store. */
@NullMarked
package dev.fairlead.config.memory;

import org.jspecify.annotations.NullMarked;
