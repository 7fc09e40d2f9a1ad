# An API server or a worker; MongoDB is elsewhere, at PINSET_MONGODB_URL.
FROM python:3.11-slim AS build
RUN python -m venv /opt/pinset
WORKDIR /source
COPY constraints.txt ./
COPY client client
COPY pyproject.toml README.md LICENSE ./
COPY domain domain
COPY storage storage
COPY evaluation evaluation
COPY resolvers resolvers
COPY schema schema
COPY interop interop
COPY server server
RUN /opt/pinset/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt ./client ".[otel]"

FROM python:3.11-slim
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin pinset
COPY --from=build /opt/pinset /opt/pinset
ENV PATH="/opt/pinset/bin:$PATH" \
    PYTHONUNBUFFERED="1" \
    PYTHONDONTWRITEBYTECODE="1" \
    PINSET_HOST="0.0.0.0" \
    PINSET_PORT="8000" \
    PINSET_LOG_FORMAT="json"
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["pinset"]
CMD ["serve"]
