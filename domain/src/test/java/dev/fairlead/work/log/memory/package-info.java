/** Twins of the ports of logs. */
@NullMarked
package dev.fairlead.work.log.memory;

import org.jspecify.annotations.NullMarked;
