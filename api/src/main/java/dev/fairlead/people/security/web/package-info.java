/** What the service says of signing in. */
@NullMarked
package dev.fairlead.people.security.web;

import org.jspecify.annotations.NullMarked;
