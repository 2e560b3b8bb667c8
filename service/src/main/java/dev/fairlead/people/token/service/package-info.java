/** Use cases of API tokens. */
@NullMarked
package dev.fairlead.people.token.service;

import org.jspecify.annotations.NullMarked;
