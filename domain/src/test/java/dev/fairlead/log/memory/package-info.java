/** Twins of the ports of logs. */
@NullMarked
package dev.fairlead.log.memory;

import org.jspecify.annotations.NullMarked;
