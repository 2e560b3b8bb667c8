/**
 * Parts that every endpoint shares: problem documents, request ids, pages and their tokens, entity
 * tags, parameters, versions.
 */
@NullMarked
package dev.fairlead.kernel.web;

import org.jspecify.annotations.NullMarked;
