/** API tokens: what a person or a program sends in place of signing in. */
@NullMarked
package dev.fairlead.people.token;

import org.jspecify.annotations.NullMarked;
