/** REST endpoints of API tokens. */
@NullMarked
package dev.fairlead.people.token.web;

import org.jspecify.annotations.NullMarked;
