/** In-memory twin of stored explanations. */
@NullMarked
package dev.fairlead.explanation.memory;

import org.jspecify.annotations.NullMarked;
