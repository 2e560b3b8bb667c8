/** The outputs of attempts in memory. */
@NullMarked
package dev.fairlead.work.output.memory;

import org.jspecify.annotations.NullMarked;
