/** In-memory implementation of the token store. */
@NullMarked
package dev.fairlead.people.token.memory;

import org.jspecify.annotations.NullMarked;
