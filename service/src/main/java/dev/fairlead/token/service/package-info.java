/** Use cases of API tokens. */
@NullMarked
package dev.fairlead.token.service;

import org.jspecify.annotations.NullMarked;
