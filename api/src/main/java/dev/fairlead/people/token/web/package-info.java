/** API tokens over HTTP. */
@NullMarked
package dev.fairlead.people.token.web;

import org.jspecify.annotations.NullMarked;
