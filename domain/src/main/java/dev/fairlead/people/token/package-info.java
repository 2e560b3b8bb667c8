/** API tokens, which a person or a program sends instead of signing in. */
@NullMarked
package dev.fairlead.people.token;

import org.jspecify.annotations.NullMarked;
