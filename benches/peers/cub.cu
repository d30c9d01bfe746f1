// CUB's times for docs/performance.md, by the method of examples/measure: calls back to back between two events, over windows
// that rotate through 2 GiB, 64 of them at most, so that from 2^20 elements on none finds its input in the cache, after half a second of them;
// the median of nine samples. One JSON line per figure.
//
//     nvcc -O3 -std=c++17 -arch=native -o target/cub benches/peers/cub.cu
//     target/cub reduce histogram segments runs
//
// `reduce`: sum, min and argmin of f32, sum and min of i32, sum of i8. `histogram`: equal bins over 0:1. `segments`: by offsets. `runs`:
// ReduceByKey over keys that change every so many elements.

#include <cub/cub.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

constexpr size_t POOL_BYTES = size_t{2} << 30;
constexpr size_t SAMPLES = 9;

void check(cudaError_t error, int line) {
    if (error != cudaSuccess) {
        std::fprintf(stderr, "cub.cu:%d: %s\n", line, cudaGetErrorString(error));
        std::exit(1);
    }
}
#define CHECK(call) check(call, __LINE__)

// Uniform numbers of 0 to 1.
__global__ void fill_uniform(float *to, size_t count) {
    size_t step = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        uint32_t bits = static_cast<uint32_t>(i) * 0x9e3779b9u;
        bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
        to[i] = static_cast<float>((bits ^ (bits >> 13)) >> 8) * 0x1p-24f;
    }
}

__global__ void fill_keys(uint32_t *to, size_t count, size_t run) {
    size_t step = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) to[i] = static_cast<uint32_t>(i / run);
}

template <typename T> T *device(size_t count) {
    void *bytes = nullptr;
    CHECK(cudaMalloc(&bytes, count * sizeof(T)));
    return static_cast<T *>(bytes);
}

struct Bench {
    float *pool = device<float>(POOL_BYTES / 4);
    void *scratch = nullptr;
    size_t scratch_bytes = 0;
    void *output = device<uint64_t>(1 << 20);

    Bench() {
        fill_uniform<<<4096, 256>>>(pool, POOL_BYTES / 4);
        CHECK(cudaGetLastError());
    }

    // A call of CUB: with no scratch memory it says how much it wants.
    using Call = std::function<cudaError_t(void *, size_t &, size_t)>;

    // Microseconds of a call that reads `bytes` of the pool from a place on, which rotates.
    void time(const std::string &what, size_t count, size_t bytes, const Call &call) {
        size_t wanted = 0;
        CHECK(call(nullptr, wanted, 0));
        if (wanted > scratch_bytes) {
            CHECK(cudaFree(scratch));
            scratch = device<char>(wanted);
            scratch_bytes = wanted;
        }
        size_t windows = std::min<size_t>(64, std::max<size_t>(1, POOL_BYTES / bytes));
        int repeats = bytes <= size_t{16} << 20 ? 200 : 20;
        cudaEvent_t begin, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&end));
        std::vector<double> samples;
        auto begun = std::chrono::steady_clock::now();
        while (samples.size() < SAMPLES) {
            CHECK(cudaEventRecord(begin));
            for (int repeat = 0; repeat < repeats; repeat++) CHECK(call(scratch, wanted, repeat % windows * bytes));
            CHECK(cudaEventRecord(end));
            CHECK(cudaEventSynchronize(end));
            float milliseconds = 0;
            CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
            bool warm = std::chrono::steady_clock::now() - begun > std::chrono::milliseconds(500);
            if (warm) samples.push_back(milliseconds * 1e3 / repeats);
        }
        std::sort(samples.begin(), samples.end());
        std::printf("{\"peer\":\"cub\",\"what\":\"%s\",\"elements\":%zu,\"us\":%.2f,\"fastest\":%.2f,\"slowest\":%.2f}\n", what.c_str(), count,
                    samples[SAMPLES / 2], samples.front(), samples.back());
        std::fflush(stdout);
    }

    template <typename T> const T *at(size_t place) const { return reinterpret_cast<const T *>(reinterpret_cast<const char *>(pool) + place); }
    template <typename T> T *to() const { return static_cast<T *>(output); }

    template <typename T> void sum(const char *what, size_t count) {
        time(what, count, count * sizeof(T), [=](void *t, size_t &bytes, size_t place) {
            return cub::DeviceReduce::Sum(t, bytes, at<T>(place), to<T>(), static_cast<int64_t>(count));
        });
    }

    template <typename T> void min(const char *what, size_t count) {
        time(what, count, count * sizeof(T), [=](void *t, size_t &bytes, size_t place) {
            return cub::DeviceReduce::Min(t, bytes, at<T>(place), to<T>(), static_cast<int64_t>(count));
        });
    }

    void reduce() {
        for (int log2 : {10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29}) sum<float>("sum f32", size_t{1} << log2);
        size_t count = size_t{1} << 28;
        min<float>("min f32", count);
        sum<int32_t>("sum i32", count);
        min<int32_t>("min i32", count);
        sum<double>("sum f64", count / 2);
        time("sum i8", count * 4, count * 4, [=](void *t, size_t &bytes, size_t place) {
            return cub::DeviceReduce::Reduce(t, bytes, at<int8_t>(place), to<int>(), static_cast<int64_t>(count * 4), cuda::std::plus<>{}, 0);
        });
        min<int8_t>("min i8", count * 4);
        using Found = cub::KeyValuePair<int, float>;
        time("argmin f32", count, count * 4, [=](void *t, size_t &bytes, size_t place) {
            return cub::DeviceReduce::ArgMin(t, bytes, at<float>(place), to<Found>(), static_cast<int>(count));
        });
    }

    void histogram() {
        size_t count = size_t{1} << 28;
        for (int bins : {16, 64, 256, 1024, 4096, 8192, 65536}) {
            time("histogram of " + std::to_string(bins), count, count * 4, [=](void *t, size_t &bytes, size_t place) {
                return cub::DeviceHistogram::HistogramEven(t, bytes, at<float>(place), to<uint32_t>(), bins + 1, 0.0f, 1.0f,
                                                           static_cast<int64_t>(count));
            });
        }
    }

    void segments() {
        size_t count = size_t{1} << 28;
        for (size_t length : {size_t{4}, size_t{16}, size_t{64}, size_t{256}, size_t{4096}, size_t{65536}, size_t{1} << 20, size_t{1} << 26}) {
            size_t number = count / length;
            std::vector<int> ends(number + 1);
            for (size_t i = 0; i <= number; i++) ends[i] = static_cast<int>(i * length);
            int *offsets = device<int>(number + 1);
            float *sums = device<float>(number);
            CHECK(cudaMemcpy(offsets, ends.data(), ends.size() * sizeof(int), cudaMemcpyHostToDevice));
            time("segments of " + std::to_string(length), count, count * 4, [=](void *t, size_t &bytes, size_t place) {
                return cub::DeviceSegmentedReduce::Sum(t, bytes, at<float>(place), sums, static_cast<int>(number), offsets, offsets + 1);
            });
            CHECK(cudaFree(offsets));
            CHECK(cudaFree(sums));
        }
    }

    void runs() {
        size_t count = size_t{1} << 28;
        uint32_t *keys = device<uint32_t>(count), *unique = device<uint32_t>(count);
        float *sums = device<float>(count);
        for (size_t run : {size_t{4}, size_t{16}, size_t{256}, size_t{65536}}) {
            fill_keys<<<4096, 256>>>(keys, count, run);
            CHECK(cudaGetLastError());
            time("runs of " + std::to_string(run), count, count * 4, [=](void *t, size_t &bytes, size_t place) {
                return cub::DeviceReduce::ReduceByKey(t, bytes, keys, unique, at<float>(place), sums, to<int>(), cuda::std::plus<>{}, static_cast<int>(count));
            });
        }
    }
};

} // namespace

int main(int count, char **words) {
    if (count < 2) {
        std::fprintf(stderr, "cub: say what to measure: reduce, histogram, segments, runs\n");
        return 2;
    }
    Bench bench;
    for (int i = 1; i < count; i++) {
        std::string what = words[i];
        if (what == "reduce") bench.reduce();
        else if (what == "histogram") bench.histogram();
        else if (what == "segments") bench.segments();
        else if (what == "runs") bench.runs();
        else {
            std::fprintf(stderr, "cub: %s: expected reduce, histogram, segments or runs\n", words[i]);
            return 2;
        }
    }
    CHECK(cudaDeviceSynchronize());
}
