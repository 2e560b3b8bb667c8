/** Public information about signing in. */
@NullMarked
package dev.fairlead.people.security.web;

import org.jspecify.annotations.NullMarked;
