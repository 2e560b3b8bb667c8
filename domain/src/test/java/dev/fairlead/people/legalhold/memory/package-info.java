/** Legal holds in memory. */
@NullMarked
package dev.fairlead.people.legalhold.memory;

import org.jspecify.annotations.NullMarked;
