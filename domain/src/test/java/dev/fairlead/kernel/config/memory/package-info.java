/** In-memory implementation of the configuration store. */
@NullMarked
package dev.fairlead.kernel.config.memory;

import org.jspecify.annotations.NullMarked;
