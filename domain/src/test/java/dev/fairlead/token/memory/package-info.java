/** Twin of the tokens' store. */
@NullMarked
package dev.fairlead.token.memory;

import org.jspecify.annotations.NullMarked;
