/** Twin of the tokens' store. */
@NullMarked
package dev.fairlead.people.token.memory;

import org.jspecify.annotations.NullMarked;
